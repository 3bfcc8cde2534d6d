"""The only SQL: tables, migrations, one module per noun, rows to facts."""
