"""What people set, for one workspace: values that are remembered, the mail account."""
