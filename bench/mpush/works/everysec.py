from subject import Work

WORK = Work("everysec", "append-only file, fsync every second", server=("--appendonly", "yes", "--appendfsync", "everysec"),
            seconds=0.4, subjects=("leat", "script", "script-4", "moves", "original"))
