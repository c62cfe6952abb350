import { Application } from './application.js';
import type { Accounts, Case, Change, ChangeRequest } from './accounts.js';

/** The application without its process, for tests: each call opens its file anew, as only files outlive a death. */
export class FileAccounts implements Accounts {
  constructor(private readonly file: string) {}

  async readCase(id: string): Promise<Case> {
    const found = this.with((application) => application.case(id));
    if (!found) throw new Error(`the application knows no case ${id}`);
    return found;
  }

  async changesOf(operation: string): Promise<Change[]> {
    return this.with((application) => application.changesOf(operation));
  }

  async change(request: ChangeRequest): Promise<Change> {
    const change = this.with((application) => application.change(request));
    if (!change) throw new Error('the application refused the change');
    return change;
  }

  with<T>(work: (application: Application) => T): T {
    const application = new Application(this.file);
    try {
      return work(application);
    } finally {
      application.close();
    }
  }
}
