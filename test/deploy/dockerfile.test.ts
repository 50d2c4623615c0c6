/** The Dockerfile can't be built by a test; what must never get lost from it can be read. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { WEBHOOK_PATH } from '../../src/web/index.ts';

const ROOT = new URL('../../', import.meta.url);

interface Instruction {
  name: string;
  text: string;
}

/** One entry per instruction, continued lines joined, by stage. */
function readStages(): Instruction[][] {
  const stages: Instruction[][] = [];
  const text = readFileSync(new URL('Dockerfile', ROOT), 'utf8').replaceAll(/^#.*\n/gm, '');
  for (const line of text.replaceAll(/\\\n\s*/g, ' ').split('\n')) {
    const [, name, rest] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (name === undefined || rest === undefined) continue;
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, text: rest });
  }
  return stages;
}

const stages = readStages();
const runtime = stages.at(-1) ?? [];

function last(name: string): string {
  return runtime.filter((instruction) => instruction.name === name).at(-1)?.text ?? '';
}

function environmentOf(): Record<string, string> {
  const words = runtime.filter(({ name }) => name === 'ENV').flatMap(({ text }) => text.split(/\s+/));
  return Object.fromEntries(words.map((word) => word.split(/=(.*)/s).slice(0, 2)));
}

describe('the image', () => {
  it('builds in one stage and runs from another, on the Node.js that the package asks for', () => {
    expect(stages).toHaveLength(2);
    for (const [from] of stages) expect(from?.text).toMatch(/^node:20-bookworm-slim( AS build)?$/);
    expect(runtime.map(({ text }) => text).join('\n')).not.toMatch(/g\+\+|python3|npm (ci|install)/);
  });

  it('does not run as root', () => {
    expect(last('USER')).toBe('node');
  });

  it('starts an init that reaps, and the app without a shell in between', () => {
    const words = JSON.parse(last('ENTRYPOINT')) as string[];
    expect(words.filter((word) => !/^--[a-z]/.test(word))).toEqual(['/usr/bin/tini', '--', 'node', '/app/dist/cli.js']);
    expect(JSON.parse(last('CMD'))).toEqual(['serve']);
    expect(runtime.some(({ name, text }) => name === 'RUN' && text.includes(' tini'))).toBe(true);
  });

  it('asks the app for its health, also without a shell', () => {
    const [, command = ''] = last('HEALTHCHECK').split(' CMD ');
    const [program, , script] = JSON.parse(command) as string[];
    expect(program).toBe('node');
    expect(script).toContain('/healthz');
    expect(() => new Function(script ?? '')).not.toThrow();
  });

  it('listens on every address and keeps all that must last in its volume', () => {
    const env = environmentOf();
    const volume = last('VOLUME');
    expect(env.HOST).toBe('0.0.0.0');
    expect(env.DATABASE_URL).toBe(`file:${volume}/standdown.db`);
    expect(env.STANDDOWN_DATA_DIR).toBe(volume);
    expect(last('EXPOSE')).toBe(env.PORT);
  });

  it('copies only files that exist, and that its build context lets in', () => {
    const copied = stages
      .flat()
      .filter(({ name, text }) => name === 'COPY' && !text.startsWith('--from'))
      .flatMap(({ text }) => text.split(/\s+/).slice(0, -1));
    const allowed = contextEntries();
    expect(copied).toContain('package-lock.json');
    for (const file of copied.filter((path) => path !== '.')) {
      expect(existsSync(new URL(file, ROOT)), file).toBe(true);
      expect(allowed, file).toContain(file);
    }
  });

  it('gives the build nothing but what it needs: no history, no secret, no data', () => {
    for (const entry of contextEntries()) expect(existsSync(new URL(entry, ROOT)), entry).toBe(true);
    expect(contextEntries()).toEqual(expect.arrayContaining(['src', 'scripts', 'prisma', 'tsconfig.build.json']));
    for (const secret of ['.env', '.git', 'data', 'node_modules']) expect(contextEntries()).not.toContain(secret);
  });
});

/** What `.dockerignore` lets in, after it has shut everything out. */
function contextEntries(): string[] {
  const [first, ...lines] = readFileSync(new URL('.dockerignore', ROOT), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(first).toBe('*');
  return lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
}

describe('the systemd unit', () => {
  const unit = readFileSync(new URL('docs/standdown.service', ROOT), 'utf8');
  const settings = unit.split('\n').filter((line) => /^[A-Z][A-Za-z]+=/.test(line));

  it('ends the app alone, and gives it the control groups that its runs are put into', () => {
    expect(settings).toContain('KillMode=process');
    expect(settings).toContain('Delegate=yes');
  });

  it('does not run as root', () => {
    expect(settings.find((line) => line.startsWith('User='))).toMatch(/^User=(?!root$)\w+$/);
  });

  it('sets no hardening that takes containment, the boot id or the GPU from the runs', () => {
    const harmful =
      /^(ProtectControlGroups|RestrictNamespaces|ProtectKernelTunables|ProtectKernelLogs|ProtectProc|ProcSubset|PrivateTmp|PrivateDevices|ProtectClock|DevicePolicy|MemoryDenyWriteExecute|SystemCallFilter)=/;
    expect(settings.filter((line) => harmful.test(line))).toEqual([]);
  });
});

describe('the deployment guide', () => {
  const guide = readFileSync(fileURLToPath(new URL('docs/deploying.md', ROOT)), 'utf8');

  it('names the path that webhooks go to, and links to files that exist', () => {
    expect(guide).toContain(WEBHOOK_PATH);
    const links = [...guide.matchAll(/\]\(([^)#:]+)\)/g)].map(([, path]) => path ?? '');
    expect(links.length).toBeGreaterThan(2);
    for (const link of links) expect(existsSync(new URL(link, new URL('docs/', ROOT))), link).toBe(true);
  });
});
