"""The digest by mail.

    settings ─► account ─┐
    digest ─► message ─► connection (SMTP) ─► outbox: what became of it, written before it is sent
                              └─► diagnosis: what went wrong, whether trying again helps, what to do

``posting`` brings them together; ``MailSender.of(news)`` makes it.
"""
