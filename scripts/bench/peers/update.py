# One change of a document as a careful Python program makes it: FILE KEY VALUE
import fcntl
import json
import os
import sys

path, key, value = sys.argv[1:4]
with open(path + ".lock", "a") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    document["revision"] += 1
    document[key] = value
    temporary = f"{path}.{os.getpid()}.tmp"
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump(document, file, ensure_ascii=False, indent=2)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)
