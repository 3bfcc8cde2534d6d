"""The invoice domain of the template "pay-invoices": reading, checking, comparing and the payment file, without the engine.

Pure functions over frozen values, so that each can be tested with a plain call and recorded as a step's result.
"""
