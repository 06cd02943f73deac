{{- define "runcost.labels" -}}
app.kubernetes.io/name: runcost
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
