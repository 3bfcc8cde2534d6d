"""What a change of a file looks like to people: cells, rows, words, pages. Whatever the bytes are, size, time and memory have bounds."""
