/** Why something can't start here that was foreseen: a sentence for whoever starts it, and nothing that a stack would tell them. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
}
