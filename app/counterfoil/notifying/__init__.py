"""What people hear, and when: the sentences of desktop notices and mails, without anything that shows or sends them."""
