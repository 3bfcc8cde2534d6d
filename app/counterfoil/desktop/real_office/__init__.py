"""The office on a real data folder: quick looks with the driver alone, the rest through the rooms, acts of the runner by the command
line."""
