"""Games, cards and sets as the database holds them, and the way from what people write to them."""
