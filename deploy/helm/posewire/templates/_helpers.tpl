{{- define "posewire.fullname" -}}
{{ .Values.fullnameOverride | default .Release.Name | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- /* DNS name within the cluster of a Service: (dict "root" . "service" "nodes") */ -}}
{{- define "posewire.host" -}}
{{ include "posewire.fullname" .root }}-{{ .service }}.{{ .root.Release.Namespace }}.svc.{{ .root.Values.clusterDomain }}
{{- end }}

{{- /* (dict "root" . "component" "anim_graph") for this and the next ones */ -}}
{{- define "posewire.selector" -}}
app.kubernetes.io/name: posewire
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "posewire.labels" -}}
{{ include "posewire.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- /* Metadata of a pod; posewire/probes is the label of all pods that have a probes port. */ -}}
{{- define "posewire.podMetadata" -}}
labels:
  {{- include "posewire.labels" . | nindent 2 }}
  {{- if ne .component "redis" }}
  posewire/probes: "yes"
  {{- end }}
  {{- with .root.Values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with merge (dict) (.annotations | default dict) .root.Values.podAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* What the pods of all components have in common; .values are the component's. */ -}}
{{- define "posewire.pod" -}}
serviceAccountName: {{ include "posewire.fullname" .root }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: {{ .user | default 10001 }}
  runAsGroup: {{ .user | default 10001 }}
  fsGroup: {{ .user | default 10001 }}
  seccompProfile: {type: RuntimeDefault}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- range $key := list "nodeSelector" "tolerations" "affinity" "priorityClassName" }}
{{- with index $.values $key }}
{{ $key }}: {{ toJson . }}
{{- end }}
{{- end }}
{{- if hasKey .values "topologySpreadConstraints" }}
topologySpreadConstraints:
{{- with .values.topologySpreadConstraints }}
  {{- toYaml . | nindent 2 }}
{{- else }}
{{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "posewire.selector" $ | nindent 8 }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "posewire.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end }}

{{- define "posewire.image" -}}
image: {{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{- define "posewire.probes" -}}
startupProbe:
  httpGet: {path: /healthz, port: probes}
  periodSeconds: 1
  failureThreshold: 60
livenessProbe:
  httpGet: {path: /healthz, port: probes}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
readinessProbe:
  httpGet: {path: /readyz, port: probes}
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 2
{{- end }}

{{- /* A map of settings as command line arguments, one a line. */ -}}
{{- define "posewire.settings" -}}
{{- range $name, $value := . }}
{{- range $one := (kindIs "slice" $value | ternary $value (list $value)) }}
- {{ printf "--%s=%s" $name (kindIs "string" $one | ternary $one (toJson $one)) | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- /* The listener's arguments that all our programs share. */ -}}
{{- define "posewire.listenArgs" -}}
- --probes=0.0.0.0:8021
{{- if .Values.tls.secretName }}
- --tls-cert=/etc/posewire/tls/tls.crt
- --tls-key=/etc/posewire/tls/tls.key
{{- else }}
- --allow-plaintext
{{- end }}
{{- if include "posewire.tokensSecret" . }}
- --tokens=/etc/posewire/tokens/tokens
- --tokens-lost={{ .Values.tokens.lost }}
{{- end }}
{{- end }}

{{- define "posewire.tokensSecret" -}}
{{- if .Values.tokens.secretName }}{{ .Values.tokens.secretName }}
{{- else if .Values.tokens.content }}{{ include "posewire.fullname" . }}-tokens
{{- end }}
{{- end }}

{{- /* Where a2f_source and renderer_sink find the nodes: (dict "root" . "values" .Values.a2fSource
       "flag" "to") */ -}}
{{- define "posewire.dialArgs" -}}
{{- $v := .root.Values }}
{{- if $v.door.enabled }}
- --{{ .flag }}={{ include "posewire.host" (dict "root" .root "service" "inside") }}:8444
{{- else }}
- --{{ .flag }}={{ include "posewire.host" (dict "root" .root "service" "nodes") }}:51000
{{- end }}
{{- if $v.tls.secretName }}
- --server-ca=/etc/posewire/tls/ca.crt
{{- end }}
{{- if .values.tokenSecretName }}
- --token-file=/etc/posewire/token/token
{{- end }}
{{- end }}

{{- /* The secrets of a pod as a list of {name, secret}: (dict "root" . "values" .Values.a2fSource) */ -}}
{{- define "posewire.secrets" -}}
{{- $v := .root.Values }}
{{- with $v.tls.secretName }}
- {name: tls, secret: {{ . }}}
{{- end }}
{{- with include "posewire.tokensSecret" .root }}
- {name: tokens, secret: {{ . }}}
{{- end }}
{{- with .values.tokenSecretName }}
- {name: token, secret: {{ . }}}
{{- end }}
{{- end }}

{{- define "posewire.secretMounts" -}}
{{- range include "posewire.secrets" . | fromYamlArray }}
- {name: {{ .name }}, mountPath: /etc/posewire/{{ .name }}, readOnly: true}
{{- end }}
{{- end }}

{{- define "posewire.secretVolumes" -}}
{{- range include "posewire.secrets" . | fromYamlArray }}
- name: {{ .name }}
  secret:
    secretName: {{ .secret }}
    defaultMode: 0440
{{- end }}
{{- end }}

{{- /* Names by which clients call HTTP: (dict "root" . "service" "door" "hosts" .Values.door.hosts) */ -}}
{{- define "posewire.hostArgs" -}}
{{- $name := printf "%s-%s" (include "posewire.fullname" .root) .service }}
{{- $ns := .root.Release.Namespace }}
{{- range concat (list $name (printf "%s.%s" $name $ns) (printf "%s.%s.svc" $name $ns) (include "posewire.host" .)) .hosts }}
- --http-allow-host={{ . }}
{{- end }}
{{- end }}

{{- /* Settings that contradict each other. */ -}}
{{- define "posewire.check" -}}
{{- $v := .Values }}
{{- if and $v.door.enabled $v.tls.secretName (not $v.door.tls.secretName) }}
{{- fail "tls.secretName encrypts the way from the door to the nodes, so door.tls.secretName must encrypt the way to the door" }}
{{- end }}
{{- if and $v.door.enabled (ne $v.door.service.type "ClusterIP") (not $v.door.tls.secretName) }}
{{- fail (printf "door.service.type %s can be reached from outside the cluster: set door.tls.secretName" $v.door.service.type) }}
{{- end }}
{{- if and $v.door.tls.clientCaSecretName (not $v.door.tls.secretName) }}
{{- fail "door.tls.clientCaSecretName needs door.tls.secretName" }}
{{- end }}
{{- if and (not $v.directory.enabled) (or $v.autoscaling.enabled (gt (int $v.animGraph.replicas) 1)) }}
{{- fail "several nodes need directory.enabled: without it a stream may have two owners" }}
{{- end }}
{{- if and $v.autoscaling.enabled (gt (int $v.autoscaling.minReplicas) (int $v.animGraph.maxReplicas)) }}
{{- fail "autoscaling.minReplicas is more than animGraph.maxReplicas" }}
{{- end }}
{{- range $name := list "a2fSource" "rendererSink" }}
{{- $part := index $v $name }}
{{- if and $part.enabled (include "posewire.tokensSecret" $) (not $part.tokenSecretName) }}
{{- fail (printf "the nodes ask for tokens: set %s.tokenSecretName" $name) }}
{{- end }}
{{- end }}
{{- if and $v.a2fSource.enabled (include "posewire.tokensSecret" .) (not $v.animGraph.tokenSecretName) }}
{{- fail "a2f_source asks for tokens: set animGraph.tokenSecretName" }}
{{- end }}
{{- if gt (int $v.animGraph.replicas) (int $v.animGraph.maxReplicas) }}
{{- fail "animGraph.replicas is more than animGraph.maxReplicas, the number of nodes that the door knows" }}
{{- end }}
{{- if and $v.autoscaling.enabled (not $v.autoscaling.cpuUtilization) (not $v.autoscaling.prometheus.enabled) }}
{{- fail "autoscaling has no metric: set autoscaling.cpuUtilization or autoscaling.prometheus.enabled" }}
{{- end }}
{{- end }}
