{{- define "headgate.name" -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) (contains .Chart.Name .Release.Name) | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "headgate.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "headgate.labels" -}}
{{ include "headgate.selector" . }}
app.kubernetes.io/component: {{ .Values.role }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "headgate.serviceAccount" -}}
{{ .Values.serviceAccount.name | default (ternary (include "headgate.name" .) "default" .Values.serviceAccount.create) }}
{{- end }}

{{/* The configuration that the chart begins with. */}}
{{- define "headgate.base" -}}
{{- if .Values.config }}{{ toYaml .Values.config }}{{ else }}{{ .Files.Get (printf "files/%s.yaml" .Values.role) }}{{ end }}
{{- end }}

{{/* The whole gateway.yaml: the values' own, and what the chart decides. */}}
{{- define "headgate.config" -}}
{{- $ours := dict "role" .Values.role "server" (dict "listen" ":8080" "metrics_listen" ":9090") }}
{{- if .Values.traces.endpoint }}
{{- $_ := set $ours "telemetry" (dict "traces" (dict "endpoint" .Values.traces.endpoint "sample" .Values.traces.sample)) }}
{{- end }}
{{- toYaml (mustMergeOverwrite (include "headgate.base" . | fromYaml) $ours) }}
{{- end }}

{{/* What would be wrong only once it runs is refused here. */}}
{{- define "headgate.check" -}}
{{- $config := include "headgate.base" . | fromYaml }}
{{- $store := dig "store" "url" "" $config }}
{{- if and (ne .Values.role "gateway") (gt (int .Values.replicas) 1) (not (regexMatch "^(postgres|postgresql):|^\\$\\{" $store)) }}
{{- fail "more than one replica needs a database that they share: set config.store.url to PostgreSQL, or replicas to 1" }}
{{- end }}
{{- if and (eq .Values.role "gateway") (not (dig "fleet" "control_plane" "" $config)) (not (regexMatch "^(postgres|postgresql):|^\\$\\{" $store)) }}
{{- fail "role: gateway needs config.fleet.control_plane, or the database of the control plane as config.store.url" }}
{{- end }}
{{- end }}
