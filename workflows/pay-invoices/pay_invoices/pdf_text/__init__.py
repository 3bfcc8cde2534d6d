"""Invoices that are only pages to look at: words with their places, labels in six languages, and proof by net + tax = gross.

There are no templates per supplier. A value counts when a label names it and nothing on the pages contradicts it; what cannot be
proved is left empty and shown with its place, so that a person sees why.
"""
