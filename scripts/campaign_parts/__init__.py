"""The parts of scripts/campaign."""
