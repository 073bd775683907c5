"""What components and scenarios are made from."""
