import { closeSync, existsSync, openSync, rmSync, writeSync } from 'node:fs';
import { Command } from 'commander';
import { InvalidArgumentError } from '../../../core/errors.js';
import { generateApproverKey } from '../../approver-keys.js';
import { printJson, type Context } from '../command.js';

export function keygenCommand(context: Context): Command {
  return new Command('keygen')
    .description('Make a pair of keys that sign decisions: FILE, which stays secret, and FILE.pub.')
    .argument('<file>', 'where the private key is written; nothing is overwritten')
    .option('--json', 'print JSON, for programs')
    .addHelpText('after', '\nExample:\n  $ holdpoint keygen ann.key')
    .action((file: string, options: { readonly json?: true }) => {
      generate(context, file, options.json ?? false);
    });
}

function generate(context: Context, file: string, asJson: boolean): void {
  const publicFile = `${file}.pub`;
  const taken = [file, publicFile].find((path) => existsSync(path));
  if (taken !== undefined)
    throw new InvalidArgumentError(`${taken} exists already and was not touched; give another name`);
  const { privateKey, publicKey, fingerprint } = generateApproverKey();
  writeNew(file, privateKey, 0o600);
  try {
    writeNew(publicFile, publicKey, 0o644);
  } catch (error) {
    // A private key that nobody can be given the public one of is no use, and no secret to leave behind.
    rmSync(file);
    throw error;
  }
  if (asJson) {
    printJson(context, { file, publicFile, fingerprint });
    return;
  }
  context.terminal.facts([
    ['private key', file],
    ['public key', publicFile],
    ['fingerprint', fingerprint],
  ]);
  context.terminal.line('Keep the first to yourself, and give the second to Runtime.open({ approvers }).');
}

/** Refuses what is there already: a link that somebody planted is not followed. */
function writeNew(path: string, text: string, mode: number): void {
  try {
    const file = openSync(path, 'wx', mode);
    try {
      writeSync(file, text);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new InvalidArgumentError(`cannot write ${path}: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`);
  }
}
