# Two stages: everything that builds stays in the first one.

FROM node:20-bookworm-slim AS build
WORKDIR /app
# better-sqlite3 is compiled where no prebuilt binary fits.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends g++ make python3 \
 && rm -rf /var/lib/apt/lists/*
# The npm that knows package.json's allowScripts: of the dependencies, only better-sqlite3 runs an install script.
RUN npm install --global npm@11.19.1
COPY package.json package-lock.json .npmrc ./
# Without `prepare`, which builds: the sources are not here yet, and a change to them shouldn't cost an install.
RUN npm ci --ignore-scripts && npm rebuild better-sqlite3
COPY . .
RUN npm run build \
 && npm prune --omit=dev --omit=peer --omit=optional --ignore-scripts

FROM node:20-bookworm-slim
LABEL org.opencontainers.image.title="Standdown" \
      org.opencontainers.image.description="Close the issue and the work stands down" \
      org.opencontainers.image.licenses="MIT"
# tini is the init: it passes signals on, and reaps what runs leave behind.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates tini \
 && rm -rf /var/lib/apt/lists/* \
 && install --directory --owner=node --group=node --mode=0711 /data
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json app.yml LICENSE ./
COPY prisma ./prisma
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATABASE_URL=file:/data/standdown.db \
    STANDDOWN_DATA_DIR=/data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/bin/tini", "--", "node", "--max-semi-space-size=4", "--optimize-for-size", "/app/dist/cli.js"]
CMD ["serve"]
