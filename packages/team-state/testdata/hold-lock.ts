// Holds the lock of a file until it is killed, and says when it has it: FILE
import { acquireFileLock, argv, writeOut } from "@okstra/kit/host";

acquireFileLock(argv()[0]!, { timeoutMs: 10_000 });
writeOut("held\n");
setInterval(() => {}, 1000);
