#!/usr/bin/python3 -B
"""Draws what leat's commands show, from a real run: terminal_pictures.py [FOLDER], by default docs/pictures.

A private Redis, a shop with a few services and some load; then leat top, queue ls and message show on a terminal."""
import html
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "support")]

from leat_testing import LEAT, Leat  # noqa: E402
from servers import Server  # noqa: E402
from terminal import Terminal  # noqa: E402
from waiting import eventually  # noqa: E402

RUN = """services:
  orders: {kind: mpush, in: orders, out: [billing, mail], serviceNamespace: shop, messageTimeout: 5, messageExpire: 60,
           messageCapacity: 100000, await: all, retry: {attempts: 3, first: 2}}
  billing: {kind: exec, in: billing, command: [sh, work, '65'], concurrency: 4, serviceNamespace: shop}
  mail: {kind: exec, in: mail, command: [sh, work, '75'], concurrency: 2, serviceNamespace: shop, maxDeliveries: 3}
"""
WORK = """read -r order
sleep 0.0$((${order##*-} % 7))
[ $((${order##*-} % 41)) = 0 ] && { echo "no customer for $order" >&2; exit $1; }
exit 0
"""


def picture(title, lines, columns):
    """A terminal's text as an SVG."""
    line_height, letter, top, left = 18, 8.05, 44, 16
    width, height = int(2 * left + letter * columns), top + line_height * len(lines) + 12
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">',
             f'<rect width="{width}" height="{height}" rx="8" fill="#1c2128"/>',
             *(f'<circle cx="{20 + 18 * n}" cy="18" r="5" fill="{colour}"/>'
               for n, colour in enumerate(("#e5534b", "#c69026", "#57ab5a"))),
             '<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13.3" xml:space="preserve">',
             f'<text x="{width / 2:.0f}" y="22" text-anchor="middle" fill="#768390">{html.escape(title)}</text>']
    for number, line in enumerate(lines):
        heading = line.split("  ")[0].isupper() or line.startswith("$")
        colour = "#6cb6ff" if heading else "#adbac7"
        parts.append(f'<text x="{left}" y="{top + line_height * number + 10}" fill="{colour}" '
                     f'textLength="{letter * len(line):.1f}">{html.escape(line)}</text>' if line else "")
    return "\n".join([*parts, "</g>", "</svg>"]) + "\n"


def load(db, ended):
    number = 1000
    while not ended.wait(0.05):
        db.lpush("orders", f"order-{number}", f"order-{number + 1}")
        number += 2


def shown_by(env, folder, *words):
    run = subprocess.run([LEAT, *words], env=env, cwd=folder, capture_output=True, text=True, timeout=30)
    return [f"$ leat {' '.join(words)}", *run.stdout.rstrip("\n").split("\n")]


def main():
    out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "docs" / "pictures")
    with tempfile.TemporaryDirectory(prefix="leat-pictures-") as folder:
        server = Server(tempfile.mkdtemp(dir=folder))
        db = server.client()
        env = {**os.environ, "REDIS_URL": f"redis://localhost:{server.port}", "TZ": "UTC"}
        pathlib.Path(folder, "work").write_text(WORK)
        pathlib.Path(folder, "shop.yaml").write_text(RUN)
        leat = Leat(folder, "run", "shop.yaml", env=env)
        ended = threading.Event()
        pusher = threading.Thread(target=load, args=(db, ended))
        try:
            eventually(lambda: db.llen("shop:service:ids") == 3)
            pusher.start()
            eventually(lambda: db.llen("billing:dead") > 3, 30)
            screen = Terminal([LEAT, "top", "-i", "1"], columns=112, lines=20, env=env)
            eventually(lambda: screen.shows("shop:3") and not screen.shows("+?/s"), 20)
            time.sleep(1.5)
            screen.read()
            top = [each.replace(str(server.port), "6379") for each in screen.cells]
            screen.press(b"q")
            screen.close()
            ls = shown_by(env, folder, "queue", "ls")
            dead = db.lindex("billing:dead", -1).decode()
            show = shown_by(env, folder, "message", "show", str(int(dead.split("-")[1]) - 1000 + 1))
            draw(out, "top", "leat top", top)
            draw(out, "queue-ls", "leat queue ls", ls)
            draw(out, "message-show", "leat message show", show)
        finally:
            ended.set()
            if pusher.is_alive():
                pusher.join()
            leat.close()
            server.close()


def draw(out, name, title, lines):
    while lines and not lines[-1]:
        lines.pop()
    path = out / f"{name}.svg"
    path.write_text(picture(title, lines, max(map(len, lines)) + 1))
    print(path)


if __name__ == "__main__":
    main()
