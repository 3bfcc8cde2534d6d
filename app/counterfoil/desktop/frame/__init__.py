"""What stands around the pages: sidebar, runner line, workspace switcher, the window itself."""
