"""Drives a headless Chromium through a pipe: browser.py PAGE.html FILE.pdf prints a page, and browser.py
PAGE.html#SLIDE FILE.png takes a picture of a slide, of a player at its end. More pairs may follow, for the same
Chromium. The tests use the class."""
from __future__ import annotations

import atexit
import base64
import functools
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, List

NAMES = ("chromium", "chromium-browser", "google-chrome")
SECONDS = 300


def found() -> str:
    """The path of a Chromium that runs, or ''. Ubuntu's stub, which asks for a snap, does not."""
    for path in filter(None, map(shutil.which, NAMES)):
        if subprocess.run([path, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
            return path
    return ""


class Browser:
    """One Chromium with one page. `asked` collects the addresses that its pages asked for."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True) if sys.version_info >= (3, 10) \
            else tempfile.TemporaryDirectory()
        command_out, self.command = os.pipe()
        self.answer, answer_in = os.pipe()
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                   f"--user-data-dir={self.folder.name}", "--remote-debugging-pipe", "about:blank"]
        with_pipes = f'exec "$0" "$@" 3<&{command_out} 4>&{answer_in}'
        self.process = subprocess.Popen(["bash", "-c", with_pipes, found(), *options], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, pass_fds=(command_out, answer_in))
        os.close(command_out)
        os.close(answer_in)
        self.number, self.session, self.rest = 0, "", b""
        self.asked: List[str] = []
        self.loaded = 0
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Network.enable")

    def begin(self) -> None:
        """Forgets what the pages before have kept for this session, and how the window was."""
        self.run("(() => { try { sessionStorage.clear(); } catch (error) { /* a blank page may have none */ } })()")
        self.open("about:blank")
        self.look()
        self.asked.clear()

    def message(self) -> Dict[str, Any]:
        while b"\0" not in self.rest:
            ready = select.select([self.answer], [], [], SECONDS)[0]
            more = os.read(self.answer, 1 << 20) if ready else b""
            if not more:
                raise RuntimeError("Chromium ended" if ready else f"Chromium has said nothing for {SECONDS} s")
            self.rest += more
        text, _, self.rest = self.rest.partition(b"\0")
        return json.loads(text)

    def call(self, method: str, **parameters: Any) -> Dict[str, Any]:
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.command, json.dumps(request).encode() + b"\0")
        while True:
            message = self.message()
            self.notice(message)
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]

    def notice(self, message: Dict[str, Any]) -> None:
        if message.get("method") == "Network.requestWillBeSent":
            self.asked.append(message["params"]["request"]["url"])
        self.loaded += message.get("method") == "Page.loadEventFired"

    def look(self, width: int = 1280, height: int = 720, dark: bool = False, media: str = "") -> None:
        """What the page's window is like, from now on. Nothing moves in it."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                            {"name": "prefers-reduced-motion", "value": "reduce"}])

    def open(self, address: str) -> None:
        """Goes to a page and waits until it is there, with its fonts."""
        loaded = self.loaded
        if not self.call("Page.navigate", url=address).get("loaderId"):  # another slide of the same page
            self.call("Page.reload")
        while self.loaded == loaded:
            self.notice(self.message())
        self.run("document.fonts.ready.then(() => 0)")

    def run(self, script: str) -> Any:
        """The value of an expression in the page; of a promise, what it brings."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True,
                           userGesture=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description") or details["text"])
        return result["result"].get("value")

    def key(self, name: str, text: str = "", code: int = 0) -> None:
        """Presses a key. Those that the browser itself heeds, as Tab and Enter, need their virtual code."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, text=text if kind == "keyDown" else "",
                      windowsVirtualKeyCode=code)

    def picture(self) -> bytes:
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def pdf(self) -> bytes:
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])

    def close(self) -> None:
        try:
            self.session = ""
            self.call("Browser.close")
        except (RuntimeError, OSError):
            pass
        self.process.wait(300)
        os.close(self.command)
        os.close(self.answer)
        self.folder.cleanup()


@functools.lru_cache(maxsize=None)
def started() -> Browser:
    browser = Browser()
    atexit.register(browser.close)
    return browser


def page() -> Browser:
    """The page of the one Chromium of a program of tests, as if it were new. Chromium ends with the program."""
    started().begin()
    return started()


def draw(browser: Browser, address: str, out: str) -> None:
    path, _, slide = address.partition("#")
    browser.open(f"{Path(path).resolve().as_uri()}#{slide}")
    browser.run("document.querySelectorAll('.player').forEach(({ player }) => player.show(player.last))")
    new = Path(f"{out}.{os.getpid()}")
    new.write_bytes(browser.picture() if slide else browser.pdf())
    new.replace(out)


def main(*words: str) -> None:
    if not found():
        sys.exit("Chromium is missing: run 'make setup FOR=workbook'")
    browser = Browser()
    try:
        browser.look()
        for address, out in zip(words[::2], words[1::2]):
            draw(browser, address, out)
    finally:
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
