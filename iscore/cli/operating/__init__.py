"""Commands that set iScore up and keep it running: feeds, settings, users, polling, serving, mail, maintenance."""
