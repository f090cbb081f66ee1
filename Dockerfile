# Build: podman build -t laurel .   or   docker build -t laurel .
# Debian 13 has glibc 2.41; the builds of uWebSockets.js for Node 24 need 2.38.
# The same files for every platform, so they are made on that of the machine.
FROM --platform=$BUILDPLATFORM node:24-trixie-slim AS build
WORKDIR /laurel
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json vite.config.ts vite.program.config.ts ./
COPY src src
COPY demo demo
COPY workers workers
COPY bench bench
COPY tools tools
COPY docs docs
COPY clients/shadcn clients/shadcn
COPY CHANGELOG.md ./
RUN npm run build:program && npm run build:console && npm run --ignore-scripts site \
  && rm -r dist/bench dist/src dist/tools dist/workers dist/site-source

# What runs, with one of the builds of uWebSockets.js. Types and source maps would be a quarter of it.
FROM node:24-trixie-slim AS modules
WORKDIR /laurel
COPY package.json package-lock.json deploy/uWebSockets.js.sha256 ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && (cd node_modules/uWebSockets.js && sha256sum --check --strict --quiet ../../uWebSockets.js.sha256) \
  && find node_modules/uWebSockets.js -name '*.node' \
    ! -name "$(node -p '`uws_${process.platform}_${process.arch}_${process.versions.modules}.node`')" -delete \
  && rm -rf node_modules/uWebSockets.js/docs node_modules/uWebSockets.js/examples node_modules/uWebSockets.js/misc \
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM node:24-trixie-slim
LABEL org.opencontainers.image.title="laurel" \
  org.opencontainers.image.description="Self-hosted gamification service" \
  org.opencontainers.image.licenses="MIT"
WORKDIR /laurel
ENV NODE_ENV=production LAUREL_DATA_DIR=/data HOST=0.0.0.0
# The Redis of `start`; PostgreSQL is among the modules.
RUN apt-get update -q && apt-get install -y -q --no-install-recommends redis-server && rm -rf /var/lib/apt/lists/* \
  && mkdir /data && chown node:node /data
COPY --from=modules /laurel/node_modules node_modules
COPY package.json LICENSE ./
COPY --from=build /laurel/dist dist
COPY src/db/migrations src/db/migrations
COPY lua lua
COPY demo demo
COPY docs docs
# Only root can complete the installation of PostgreSQL, which npm leaves without its symbolic links.
RUN node -e "import('/laurel/dist/program/postgresBinaries.js').then((module) => module.postgresBinaries())" \
  && ln -s /laurel/dist/program/main.js /usr/local/bin/laurel
USER node
VOLUME /data
EXPOSE 3000
ENTRYPOINT ["node", "--max-semi-space-size=32", "dist/program/main.js"]
CMD ["start"]
