from subject import Work

WORK = Work("everysec", "append-only file, fsync every second", server=("--appendonly", "yes", "--appendfsync", "everysec"),
            subjects=("leat", "script", "script-4", "moves", "original"))
