"""The only room with hands: what leaves a run, into the team's folder or onto the wire, leaves through here."""
