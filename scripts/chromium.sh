#!/usr/bin/env bash
# A Chromium for the browser tests: the one that CHROMIUM names, else a system one, else Playwright's own, else Debian's package when root.
# tests/browser/conftest.py looks in the same order.
set -u
python=${1:-python3}
[ -n "${CHROMIUM:-}" ] && exit 0
for name in chromium chromium-browser google-chrome google-chrome-stable; do
  command -v "$name" >/dev/null 2>&1 && exit 0
done
# Playwright's own may be there and still not start, for want of system libraries: so it is tried.
own_starts() {
  "$python" -c 'from playwright.sync_api import sync_playwright as play
with play() as player: player.chromium.launch(args=["--no-sandbox"]).close()' >/dev/null 2>&1
}
own_starts && exit 0
"$python" -m playwright install chromium >/dev/null 2>&1 && own_starts && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  apt-get update -qq && apt-get install -y -qq chromium >/dev/null && exit 0
fi
echo "No Chromium could be found or installed: install one (for example the package 'chromium') and run make test again." >&2
exit 1
