"""What a deck is made of: evolution lines, odds, hands, statistics, differences."""
