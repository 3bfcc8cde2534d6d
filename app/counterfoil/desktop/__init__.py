"""The only Qt: the window people decide in. It reads the database and writes decisions and requests, and runs no workflow code."""
