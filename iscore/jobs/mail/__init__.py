"""The digest by mail.

    settings ─► account ─┐
    digest ─► message ─► smtp: connection ─► outbox: its state, written before each step
                              └─► what went wrong, whether trying again helps, what to do

``MailSender`` combines them; ``MailSender.of(news)`` makes it.
"""
