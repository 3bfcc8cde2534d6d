"""What an author may write. Standard library only, so that importing the door costs next to nothing."""
