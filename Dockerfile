FROM node:20-bookworm-slim AS build
WORKDIR /laurel
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json vite.config.ts ./
COPY src src
COPY workers workers
COPY bench bench
COPY tools tools
RUN npm run build && npm prune --omit=dev

FROM node:20-bookworm-slim
WORKDIR /laurel
ENV NODE_ENV=production
COPY --from=build /laurel/package.json ./
COPY --from=build /laurel/node_modules node_modules
COPY --from=build /laurel/dist dist
COPY src/db/migrations src/db/migrations
COPY lua lua
COPY demo demo
USER node
EXPOSE 3000
ENTRYPOINT ["node", "--max-semi-space-size=32", "dist/src/main.js"]
CMD ["server"]
