#!/usr/bin/env bash
# Runs tests in a container, by default on Node 24 and Debian 13 like the Dockerfile: `npm run test:image -- [FILE…]`.
# Without a FILE, the whole suite. LAUREL_TEST_IMAGE names another image of Debian with Node. Needs podman or docker.
set -euo pipefail
cd "$(dirname "$0")/.."
image=${LAUREL_TEST_IMAGE:-node:24-trixie-slim}
engine=$(command -v podman || command -v docker) || {
  echo 'podman or docker is missing' >&2
  exit 1
}

# The project is copied without its dependencies and its build, which are those of this machine.
"$engine" run --rm --network host --volume "$PWD:/project:ro" --env NO_COLOR=1 "$image" bash -euc '
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends ca-certificates chromium fonts-dejavu-core git haproxy nginx openssl \
    pgbouncer procps prometheus redis-server systemd > /dev/null
  # Where the units of systemd expect it.
  ln -sf "$(command -v node)" /usr/bin/node
  mkdir /laurel
  cd /laurel
  tar -C /project --exclude=./.git --exclude=./node_modules --exclude=./dist --exclude=./data -c . | tar -x
  npm ci --no-audit --no-fund
  npm run --silent build
  echo "Node $(node --version), $(. /etc/os-release; echo "$PRETTY_NAME")"
  npx vitest run "$@"
' test "$@"
