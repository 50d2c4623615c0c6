/** How people name an issue on the command line: `acme/widgets#12`, or the address of its page. Pure. */

export interface IssueReference {
  owner: string;
  name: string;
  number: number;
}

const OWNER = String.raw`(?<owner>[A-Za-z\d][\w-]{0,99})`;
const NAME = String.raw`(?<name>[\w.-]{1,100})`;
const NUMBER = String.raw`(?<number>[1-9]\d{0,8})`;
const SHORT = new RegExp(`^${OWNER}/${NAME}#${NUMBER}$`);
const PAGE = new RegExp(String.raw`^https?://[^\s/]{1,255}/${OWNER}/${NAME}/issues/${NUMBER}/?(?:[?#]\S*)?$`);

/** null: it is neither. */
export function parseIssueReference(text: string): IssueReference | null {
  const { owner, name, number } = (SHORT.exec(text) ?? PAGE.exec(text))?.groups ?? {};
  if (owner === undefined || name === undefined) return null;
  return { owner, name, number: Number(number) };
}
