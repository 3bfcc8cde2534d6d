"""The way to llms: routes, requests, prices, limits. The only room that knows a vendor."""
