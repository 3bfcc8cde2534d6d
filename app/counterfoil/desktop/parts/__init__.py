"""Small widgets that every page is put together from. They know colours and keys, and nothing about gates or runs."""
