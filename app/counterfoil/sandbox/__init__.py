"""The only second process: hosts outside, the inside, and the wire between. Nothing confines a host yet; every run says level L0."""
