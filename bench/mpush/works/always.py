from subject import Work

WORK = Work("always", "append-only file, fsync always", server=("--appendonly", "yes", "--appendfsync", "always"),
            seconds=0.4, subjects=("leat", "script", "script-4", "moves", "original"))
