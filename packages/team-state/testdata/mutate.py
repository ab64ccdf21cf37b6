# Changes a document as a program in another language would, and prints a line for each change: FILE NAME COUNT
import fcntl
import json
import os
import sys

path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
for n in range(1, count + 1):
    mark = f"{name} {n}"
    with open(path + ".lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        document["revision"] += 1
        document.setdefault("peerMarks", []).append(mark)
        temporary = f"{path}.{os.getpid()}.tmp"
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump(document, file, ensure_ascii=False, indent=2)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    print(mark, flush=True)
