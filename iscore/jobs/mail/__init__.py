"""The digest by mail.

    settings ─► account ─┐
    digest ─► message ─► connection (SMTP) ─► outbox: its state, written before each step
                              └─► diagnosis: what went wrong, whether trying again helps, what to do

``MailSender`` combines them; ``MailSender.of(news)`` makes it.
"""
