from subject import Work

WORK = Work("always", "append-only file, fsync always", server=("--appendonly", "yes", "--appendfsync", "always"),
            subjects=("leat", "script", "script-4", "moves", "original"))
