#!/usr/bin/env bash
# Replaces an earlier version by this one, process by process under load: `npm run test:upgrade -- [COMMIT]`.
# Without a COMMIT, the newest tag before this version. Without tags, the first commit whose Redis this version can take over.
set -euo pipefail
cd "$(dirname "$0")/.."
commit=${1:-$(git describe --tags --abbrev=0 HEAD^ 2> /dev/null || echo 2f18e57)}
earlier=$(mktemp -d)
trap 'rm -rf "$earlier"' EXIT

git archive "$commit" | tar --extract --directory "$earlier"
if cmp --silent package-lock.json "$earlier/package-lock.json"; then
  ln -s "$PWD/node_modules" "$earlier/node_modules"
else
  (cd "$earlier" && npm ci --no-audit --no-fund)
fi
(cd "$earlier" && npm run --silent build)
echo "from $(git log -1 --format='%h %s' "$commit")"
LAUREL_UPGRADE_FROM=$earlier npx vitest run test/rolling.slow.test.ts -t 'an earlier version is replaced'
