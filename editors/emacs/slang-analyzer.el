;;; slang-analyzer.el --- Slang with slang-analyzer, by eglot  -*- lexical-binding: t; -*-

;; Emacs 29 and later have eglot; for Emacs 28 it is in GNU ELPA.

;;; Code:

(require 'cc-mode)
(defvar eglot-server-programs)
(eval-when-compile (require 'cc-fonts))

(defgroup slang-analyzer nil "The Slang shading language." :group 'languages)

(defcustom slang-analyzer-command '("slang-analyzer" "lsp")
  "The command of the server, with its arguments."
  :type '(repeat string))

(defconst slang-analyzer-keywords
  '("import" "module" "implementing" "__include" "interface" "extension" "associatedtype" "property" "where" "func"
    "let" "var" "in" "out" "inout" "no_diff" "fwd_diff" "bwd_diff" "groupshared" "uniform" "cbuffer" "discard"
    "__init" "__subscript" "This" "this" "is" "as" "each" "expand")
  "Keywords of Slang that C++ does not have.")

;;;###autoload
(define-derived-mode slang-mode c++-mode "Slang"
  "Major mode for Slang, with the syntax of C++ and the keywords of Slang."
  (font-lock-add-keywords nil `((,(regexp-opt slang-analyzer-keywords 'symbols) . font-lock-keyword-face))))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.slangh?\\'" . slang-mode))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs `(slang-mode . ,slang-analyzer-command)))

(declare-function jsonrpc-request "jsonrpc")
(declare-function eglot--current-server-or-lose "eglot")
(declare-function eglot--TextDocumentPositionParams "eglot")

(defun slang-analyzer--ask (method &rest more)
  "Ask METHOD about the function at point with MORE parameters."
  (jsonrpc-request (eglot--current-server-or-lose) method (append (eglot--TextDocumentPositionParams) more)))

(defun slang-analyzer-preview-derivative (forward)
  "Show `bwd_diff' of the function at point; if FORWARD, `fwd_diff'."
  (interactive "P")
  (let ((found (slang-analyzer--ask :slang-analyzer/derivativePreview
                                    :operator (if forward "forward" "backward") :target "slang")))
    (with-current-buffer (get-buffer-create "*Slang derivative*")
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert (or (plist-get found :text) "// There is no function here.\n"))
        (goto-char (point-min)))
      (slang-mode)
      (setq buffer-read-only t)
      (display-buffer (current-buffer)))))

(provide 'slang-analyzer)
;;; slang-analyzer.el ends here
