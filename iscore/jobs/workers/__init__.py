"""Workers: any number of processes, on any machines, that share the work of one database on a server.

    due ─► plan ─► work, a table ─► loop: claim ─► tasks: poll, measure, decide, digest … ─► results, if still held
   (pure)          storage.work            (services of ``iscore run``)             storage.work

The tables say what is due and who works on it; nothing else does. A worker that dies holds up its work for one lease.
"""
