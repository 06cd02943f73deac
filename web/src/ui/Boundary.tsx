import { Component, type ReactNode } from 'react';

type Props = {
  /** What is shown in place of the children when they have failed. */
  fallback: (error: Error) => ReactNode;
  onError?: (error: Error) => void;
  /** When it changes, the children are tried again. */
  resetKey?: string;
  children: ReactNode;
};

/** Keeps what fails in its children, also a part that does not load, from blanking all around them. */
export class Boundary extends Component<Props, { error: Error | null }> {
  override state = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidCatch(error: Error) {
    this.props.onError?.(error);
  }

  override componentDidUpdate({ resetKey }: Props) {
    if (this.state.error && resetKey !== this.props.resetKey) this.setState({ error: null });
  }

  override render() {
    const { error } = this.state;
    return error ? this.props.fallback(error) : this.props.children;
  }
}
