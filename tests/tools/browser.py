"""A headless browser for tests of pages and pictures: what the page became, and a picture of it."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

# Asks the finished page about itself; the answer becomes the title. The page's own policy forbids scripts, so it is taken
# out first: what the policy forbids is looked at in the page as it is.
PROBE = """<script>
window.addEventListener("load", () => {
  const found = {injected: window.injected || 0, wide: [], outside: []};
  found.loaded = performance.getEntriesByType("resource").length;
  for (const group of document.querySelectorAll(".ge-picture g.n")) {
    const box = group.querySelector("rect");
    if (!box || !group.querySelector("text")) continue;
    const room = box.getBoundingClientRect();
    for (const text of group.querySelectorAll("text")) {
      const place = text.getBoundingClientRect();
      if (place.width && (place.left < room.left - 0.5 || place.right > room.right + 0.5 || place.bottom > room.bottom + 2))
        found.wide.push(text.textContent);
    }
  }
  for (const svg of document.querySelectorAll("svg")) {
    const room = svg.getBoundingClientRect();
    for (const part of svg.querySelectorAll("rect, circle, text, path")) {
      const place = part.getBoundingClientRect();
      if (place.width && (place.left < room.left - 2 || place.right > room.right + 2 || place.bottom > room.bottom + 2))
        found.outside.push(part.textContent || part.outerHTML.slice(0, 80));
    }
  }
  const boxes = [...document.querySelectorAll(".ge-picture g.n > rect")].filter((r) => r.nextElementSibling);
  found.boxes = boxes.length;
  const style = (element) => getComputedStyle(element);
  found.paper = style(document.body).backgroundColor;
  found.ink = style(document.body).color;
  found.boxes_paper = style(boxes[0]).fill;
  found.boxes_ink = style(document.querySelector(".ge-picture g.n text")).fill;
  document.title = "PROBE" + JSON.stringify(found) + "END";
});
</script></body>"""


def find():
    """The path of a browser, or None."""
    chosen = os.environ.get("GE_BROWSER")
    return chosen or next((path for path in map(shutil.which, NAMES) if path), None)


def start(path, *arguments, timeout=120):
    with tempfile.TemporaryDirectory() as profile:
        command = [find(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}"]
        command += ["--no-first-run", "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND", *arguments]
        done = subprocess.run([*command, pathlib.Path(path).resolve().as_uri()], capture_output=True, timeout=timeout)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    return done.stdout.decode()


def ask(page, tmp_path, *arguments):
    """What PROBE found in a page, given as text."""
    policy = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*/>')
    assert policy.search(page)
    path = tmp_path / "probed.html"
    path.write_text(policy.sub("", page).replace("</body>", PROBE), encoding="utf-8")
    seen = start(path, "--dump-dom", "--virtual-time-budget=5000", *arguments)
    return re.search(r"PROBE(.*?)END</title>", seen, re.S).group(1)


def shoot(path, picture, width=1280, height=1000):
    """A picture of the page as it is."""
    start(path, f"--screenshot={picture}", f"--window-size={width},{height}", "--virtual-time-budget=5000")
