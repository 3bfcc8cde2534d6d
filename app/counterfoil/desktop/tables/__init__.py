"""Tables: plain objects that hold and arrange rows, one adapter that shows them to Qt, one view that never cuts an identifier."""
