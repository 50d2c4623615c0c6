// Starts a process of the benchmark, asks it questions, and sees it gone.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const START_MS = 60_000;
const END_MS = 5_000;

/**
 * @param {string} name of a module in `processes/`
 * @param {Record<string, string>} env
 * @param {string} cwd a directory without files that it could take for its configuration
 */
export async function startChild(name, env, cwd) {
  const child = fork(fileURLToPath(new URL(`../processes/${name}.mjs`, import.meta.url)), {
    cwd,
    // As `npm start` does.
    execArgv: ['--max-semi-space-size=4', '--optimize-for-size'],
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
    // As a service would run: its log goes somewhere, here to nobody. What breaks it is shown.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { ask, exited } = talkTo(child, name);
  const url = await addressOf(child, name);
  return {
    url,
    ask,
    async close() {
      if (child.exitCode === null && child.connected) await ask('close').catch(() => {});
      await endOf(child, exited);
    },
  };
}

/** The parent's end of the conversation that `answerParent` begins. `exited` resolves when the child has ended. */
export function talkTo(child, name) {
  const open = new Map();
  let lastId = 0;
  const exited = once(child, 'exit').then(() => {
    for (const { reject } of open.values()) reject(new Error(`${name} ended`));
    open.clear();
  });
  child.on('message', ({ id, value, error }) => {
    const question = open.get(id);
    open.delete(id);
    if (error === undefined) question?.resolve(value);
    else question?.reject(new Error(`${name}: ${error}`));
  });
  const ask = (question, input) =>
    new Promise((resolve, reject) => {
      lastId += 1;
      open.set(lastId, { resolve, reject });
      child.send({ id: lastId, question, input }, (error) => error && reject(error));
    });
  return { ask, exited };
}

/** Sees it gone. One that was told to end and does not is killed. */
export async function endOf(child, exited) {
  const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
  await exited;
  clearTimeout(timer);
}

function addressOf(child, name) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${name} did not start within ${START_MS / 1000} s`));
    }, START_MS);
    child.once('message', ({ url }) => {
      clearTimeout(timer);
      resolve(url);
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`${name} ended with ${code} instead of starting`));
    });
  });
}
