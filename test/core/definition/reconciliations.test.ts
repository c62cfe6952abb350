import { expect } from 'chai';
import { Reconcile } from '../../../decorators/reconcile.js';
import { Tool } from '../../../decorators/tool.js';
import { ChargeCard, Lookup } from './examples.js';
import { refusal, toolsOf } from './support.js';

describe('@Reconcile on a tool class', () => {
  const reconciling = (method: unknown, readOnly = false): string => {
    class Sends {
      @Tool(readOnly, { input: Lookup }) sendMail(): null {
        return null;
      }
      @Tool(false, { input: Lookup }) post(): null {
        return null;
      }
      settle(): null {
        return null;
      }
    }
    const decorator = Reconcile(method as never) as (...decorated: unknown[]) => void;
    decorator(Sends.prototype, 'settle', { value: Sends.prototype.settle });
    return refusal(() => toolsOf(Sends));
  };

  it('is refused if it names no tool, and names the methods', () => {
    expect(reconciling('sendMial')).to.equal(
      'Sends.settle: @Reconcile("sendMial") names no tool of its class; did you mean sendMail?',
    );
    expect(reconciling('send_mail')).to.match(/did you mean sendMail\?$/);
    expect(reconciling('nothing')).to.match(/names no tool of its class; name a method: sendMail, post$/);
    expect(reconciling(7)).to.match(/@Reconcile\(7\) names no tool/);
  });

  it('is refused without a name where there are several tools', () => {
    expect(reconciling(undefined)).to.equal(
      "Sends.settle: say which tool it settles: @Reconcile('…') with one of sendMail, post",
    );
  });

  it('is refused for a tool that is read only', () => {
    expect(reconciling('sendMail', true)).to.equal(
      'Sends.settle: @Reconcile for sendMail, which is read only: it is repeated, never reconciled; remove @Reconcile',
    );
  });

  it('is refused if two settle one tool', () => {
    class Twice extends ChargeCard {
      @Reconcile('execute')
      another(): null {
        return null;
      }
    }
    expect(refusal(() => toolsOf(Twice))).to.equal('Twice: lookUp and another both reconcile execute; keep one');
  });

  it('is refused if it stands twice on one method', () => {
    class Repeated extends ChargeCard {
      @Reconcile()
      @Reconcile('execute')
      another(): null {
        return null;
      }
    }
    expect(refusal(() => toolsOf(Repeated))).to.equal('@Reconcile stands twice on Repeated.another; keep one');
  });

  it('is refused on the tool itself, on a class, and on what cannot be called', () => {
    class Itself {
      @Reconcile('send')
      @Tool(false, { input: Lookup })
      send(): null {
        return null;
      }
    }
    expect(refusal(() => toolsOf(Itself))).to.equal('Itself.send has both @Tool and @Reconcile; keep one');
    class OnClass extends ChargeCard {}
    (Reconcile() as unknown as ClassDecorator)(OnClass);
    expect(refusal(() => toolsOf(OnClass))).to.equal(
      '@Reconcile stands on OnClass, a class; put it on one of its methods',
    );
    class OnStatic extends ChargeCard {
      @Reconcile('execute' as never)
      static settle(): null {
        return null;
      }
    }
    expect(refusal(() => toolsOf(OnStatic))).to.match(/^@Reconcile stands on OnStatic.settle, which is static/);
  });
});
